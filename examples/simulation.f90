! The largest element of each column of a field in an OpenCL buffer, by the program's own queue and events.
!
! It prints
!     largest in rows  5  3  1 of its columns
program simulation
  use, intrinsic :: iso_c_binding
  use argmax_cl
  implicit none
  interface
    function clCreateCommandQueue(context, device, properties, error) bind(C, name='clCreateCommandQueue') result(queue)
      import :: c_ptr, c_int64_t, c_int32_t
      type(c_ptr), value :: context, device
      integer(c_int64_t), value :: properties
      integer(c_int32_t) :: error
      type(c_ptr) :: queue
    end function
    function clCreateBuffer(context, flags, bytes, host, error) bind(C, name='clCreateBuffer') result(buffer)
      import :: c_ptr, c_int64_t, c_size_t, c_int32_t
      type(c_ptr), value :: context, host
      integer(c_int64_t), value :: flags
      integer(c_size_t), value :: bytes
      integer(c_int32_t) :: error
      type(c_ptr) :: buffer
    end function
    function clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host, count, waits, event) &
      bind(C, name='clEnqueueReadBuffer') result(error)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: queue, buffer, host, event
      integer(c_int32_t), value :: blocking, count
      integer(c_size_t), value :: offset, bytes
      type(c_ptr), intent(in) :: waits(*)
      integer(c_int32_t) :: error
    end function
  end interface
  integer(c_int64_t), parameter :: COPY_HOST_POINTER = 32, READ_WRITE = 1
  real(c_float), target :: field(8, 3)
  integer(c_int64_t), target :: sizes(2) = [3, 8], where(3) ! sizes in C's order
  integer(c_int32_t), target :: axes(1) = [1]               ! of those: along each column of Fortran's
  integer(c_int32_t) :: error
  type(argmax_cl_tensor), target :: input, index
  type(argmax_cl_desc) :: desc
  type(argmax_cl_buffers) :: buffers
  type(c_ptr) :: handle, context, device, queue, found
  field = 0
  field(5, 1) = 2
  field(3, 2) = 1
  call must(argmax_cl_create_default(handle))
  call must(argmax_cl_get_device(handle, context, device))
  queue = clCreateCommandQueue(context, device, 0_c_int64_t, error)
  call argmax_cl_buffers_init(buffers)
  buffers%input = clCreateBuffer(context, COPY_HOST_POINTER, c_sizeof(field), c_loc(field), error)
  buffers%index = clCreateBuffer(context, READ_WRITE, c_sizeof(where), c_null_ptr, error)
  call argmax_cl_tensor_init(input)
  call argmax_cl_tensor_init(index)
  call argmax_cl_desc_init(desc)
  input%dtype = ARGMAX_CL_FLOAT32
  input%rank = 2
  input%sizes = c_loc(sizes)
  index%dtype = ARGMAX_CL_INT64
  desc%input = c_loc(input)
  desc%index = c_loc(index)
  desc%axis_count = 1
  desc%axes = c_loc(axes)
  call must(argmax_cl_enqueue(handle, queue, desc, buffers, 0, event=found))
  error = clEnqueueReadBuffer(queue, buffers%index, 1, 0_c_size_t, c_sizeof(where), c_loc(where), 1, [found], c_null_ptr)
  print '(a, 3i3, a)', 'largest in rows', where + 1, ' of its columns'
contains
  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status /= ARGMAX_CL_SUCCESS) error stop argmax_cl_string(argmax_cl_last_error())
  end subroutine
end program
