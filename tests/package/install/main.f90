! A user's program: one call.
program main
  use argmax_cl, only: maxloc_cl
  implicit none
  real :: values(3, 3)
  values = reshape([1., 2., 3., 3., 0., 4., 2., 5., 2.], [3, 3])
  if (any(maxloc_cl(values, 1) /= [3, 3, 2])) error stop 'column maxima: wrong'
  print '(a)', 'column maxima: right'
end program
